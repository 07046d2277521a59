//! The workflow of a hospital: any number of patients are registered and sent from department to department.
//! In each, a patient waits for a doctor, the doctor orders tests from a laboratory that all departments
//! share, and the results come back in any order; a treatment needs a bed and a result. No department ever
//! treats more patients than it has beds, and no patient is treated in one department while the only record
//! is in another. In the broken variant an emergency treatment of the last department takes no bed.

use super::text::{NetText, Place, Start};

/// The beds of a department.
const BEDS: u32 = 3;
/// Tests that the laboratory does at a time.
const BENCHES: u32 = 4;

/// A net with this many departments, 14 places each.
pub fn net(departments: usize, broken: bool) -> NetText {
    let mut net = NetText::default();
    let arrivals = net.place_with("arrivals", Start::AtLeast(0));
    let bench = net.place_with("laboratory_bench", Start::Exactly(BENCHES));
    let registered = net.place("registered");
    let record = net.place_with("archive", Start::Exactly(1));
    net.rule(&[arrivals], &[registered]);
    let mut readings: Vec<Place> = vec![];
    let mut queues: Vec<Place> = vec![];
    for number in 0..departments {
        queues.push(net.place(format!("d{number}_queue")));
    }
    for (number, &queue) in queues.iter().enumerate() {
        let name = |part: &str| format!("d{number}_{part}");
        let doctor = net.place_with(name("doctor"), Start::Exactly(2));
        let bed = net.place_with(name("bed"), Start::Exactly(BEDS));
        let [seen, ordered, sample, analysed, result] =
            ["seen", "ordered", "sample", "analysed", "result"].map(|it| net.place(name(it)));
        let [treated, resting, reading, noted, bill, done] =
            ["treated", "resting", "reading", "noted", "bill", "done"].map(|it| net.place(name(it)));
        net.rule(&[registered], &[queue]);
        net.rule(&[queue, doctor], &[seen]);
        net.rule(&[seen], &[ordered, sample, doctor]);
        net.rule(&[sample, bench], &[analysed]);
        net.rule(&[analysed], &[result, bench]);
        net.rule(&[ordered, result, bed], &[treated]);
        net.rule(&[treated], &[resting]);
        net.rule(&[resting], &[treated]);
        // The one record is read and taken back to the archive by hand.
        net.rule(&[resting, record], &[reading]);
        net.rule(&[reading], &[noted]);
        net.rule(&[noted], &[done, record, bed, bill]);
        net.rule(&[bill], &[]);
        net.rule(&[done], &[queues[(number + 1) % departments]]);
        net.rule(&[done], &[]);
        if broken && number + 1 == departments {
            net.rule(&[seen], &[treated, doctor]);
        }
        let mut over: Vec<Place> = vec![treated; BEDS as usize];
        over.push(resting);
        net.target(&over);
        readings.push(noted);
    }
    for pair in readings.windows(2) {
        net.target(pair);
    }
    net
}
