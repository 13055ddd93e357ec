"""Operations on jobs: the rows. What they do is in `handlers/jobs.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import jobs as wire

_OPERATE = Capability.OPERATE

list_ = Operation(
    "jobs.list", "GET", "/v1/jobs", wire.ListJobs, wire.Jobs, _OPERATE, Access.READ,
    "What the daemon does by itself, when it is due, and how it went.",
)  # fmt: skip
run = Operation(
    "jobs.run", "POST", "/v1/jobs/{name}/run", wire.RunJob, wire.JobRun, _OPERATE, Access.OWN,
    "Run a job now, and wait for what comes of it.",
)  # fmt: skip
pause = Operation(
    "jobs.pause", "POST", "/v1/jobs/{name}/pause", wire.PauseJob, wire.Job, _OPERATE, Access.OWN,
    "Let a job not run by itself until it is resumed.",
)  # fmt: skip
resume = Operation(
    "jobs.resume", "POST", "/v1/jobs/{name}/resume", wire.ResumeJob, wire.Job, _OPERATE, Access.OWN,
    "Let a paused job run by itself again.",
)  # fmt: skip
history = Operation(
    "jobs.history", "GET", "/v1/jobs/history", wire.ListJobRuns, wire.JobRuns, _OPERATE, Access.READ,
    "Runs that did something, failed or were asked for, newest first.",
)  # fmt: skip

OPERATIONS = (list_, run, pause, resume, history)
