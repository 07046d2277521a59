# The tool-info module of Selvedge for BenchExec (https://github.com/sosy-lab/benchexec): how the tool is run
# on a task, and what its result means.

import json

import benchexec.result as result
import benchexec.tools.template

# What the classes of properties are called by the competition on software verification.
SUBPROPERTIES = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
}


class Tool(benchexec.tools.template.BaseTool2):
    """Selvedge, a verifier for programs with many threads."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("selvedge")

    def program_files(self, executable):
        return [executable]

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="selvedge")

    def name(self):
        return "Selvedge"

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", "--format", "json", "-q", *options]
        # A little before BenchExec ends the run, so that the tool tells what it knows by then.
        if rlimits.cputime_hard or rlimits.cputime:
            seconds = rlimits.cputime or rlimits.cputime_hard
            command += ["--timeout", f"{max(seconds - 1, seconds * 0.9):g}s"]
        if rlimits.memory:
            command += ["--memory", str(int(rlimits.memory * 0.9))]
        if rlimits.cpu_cores:
            command += ["--workers", str(rlimits.cpu_cores)]
        if isinstance(task.options, dict) and task.options.get("data_model") == "ILP32":
            command.append("--ilp32")
        if task.property_file:
            command += ["--spec", task.property_file]
        return command + ["--"] + list(task.input_files_or_identifier)

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        found = self._result_of(run.output)
        code = run.exit_code.value
        # A verdict needs both: the exit code and the object on standard output.
        if (code, found.get("verdict")) == (0, "safe"):
            return result.RESULT_TRUE_PROP
        if (code, found.get("verdict")) == (10, "unsafe"):
            return self._unsafe(found.get("property") or {})
        if (code, found.get("verdict")) == (5, "unknown"):
            kind = (found.get("reason") or {}).get("kind", "")
            if kind == "time":
                return result.RESULT_TIMEOUT
            return f"{result.RESULT_UNKNOWN}({kind})"
        if code == 2:
            return f"{result.RESULT_ERROR}(bad input)"
        return f"{result.RESULT_ERROR}({'fault' if code == 6 else code})"

    @staticmethod
    def _unsafe(violated):
        name = violated.get("sv_comp") or ""
        name = name.removeprefix("false(").removesuffix(")")
        if name in SUBPROPERTIES:
            return SUBPROPERTIES[name]
        return f"{result.RESULT_FALSE_PROP}({name})" if name else result.RESULT_FALSE_PROP

    @staticmethod
    def _result_of(output):
        for line in reversed(list(output)):
            if line.startswith("{"):
                try:
                    return json.loads(line)
                except ValueError:
                    return {}
        return {}

    def get_value_from_output(self, output, identifier):
        found = self._result_of(output)
        for name in identifier.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return None if found is None else str(found)
