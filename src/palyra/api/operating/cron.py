"""Operations on scheduled prompts: the rows. What they do: `handlers/cron.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import cron as wire

_READ, _SCHEDULE = Capability.READ, Capability.SCHEDULE

create = Operation(
    "cron.create", "POST", "/v1/cron/jobs", wire.CreateCronJob, wire.CronJobInfo, _SCHEDULE, Access.OWN,
    "Let a prompt run by itself: by a cron expression, every so often, or once.", makes_store=True,
)  # fmt: skip
list_ = Operation(
    "cron.list", "GET", "/v1/cron/jobs", wire.ListCronJobs, wire.CronJobPage, _READ, Access.READ,
    "Scheduled prompts with their next time and their last outcome, newest first.",
)  # fmt: skip
get = Operation(
    "cron.get", "GET", "/v1/cron/jobs/{job}", wire.NameCronJob, wire.CronJobInfo, _READ, Access.READ,
    "One scheduled prompt.",
)  # fmt: skip
update = Operation(
    "cron.update", "POST", "/v1/cron/jobs/{job}", wire.UpdateCronJob, wire.CronJobInfo, _SCHEDULE, Access.OWN,
    "Change a scheduled prompt; what is not given stays as it is.",
)  # fmt: skip
enable = Operation(
    "cron.enable", "POST", "/v1/cron/jobs/{job}/enable", wire.NameCronJob, wire.CronJobInfo, _SCHEDULE, Access.OWN,
    "Switch a scheduled prompt on, from its next slot.",
)  # fmt: skip
disable = Operation(
    "cron.disable", "POST", "/v1/cron/jobs/{job}/disable", wire.NameCronJob, wire.CronJobInfo, _SCHEDULE, Access.OWN,
    "Switch a scheduled prompt off; what waits does not begin any more.",
)  # fmt: skip
delete = Operation(
    "cron.delete", "POST", "/v1/cron/jobs/{job}/delete", wire.NameCronJob, wire.CronJobInfo, _SCHEDULE, Access.OWN,
    "Delete a scheduled prompt; its history stays.",
)  # fmt: skip
run = Operation(
    "cron.run", "POST", "/v1/cron/jobs/{job}/run", wire.RunCronJob, wire.CronRunInfo, _SCHEDULE, Access.OWN,
    "Run a scheduled prompt now, besides its schedule.",
)  # fmt: skip
upcoming = Operation(
    "cron.next", "GET", "/v1/cron/jobs/{job}/next", wire.NextCronTimes, wire.CronTimes, _READ, Access.READ,
    "When a scheduled prompt is due next.",
)  # fmt: skip
history = Operation(
    "cron.history", "GET", "/v1/cron/runs", wire.CronHistory, wire.CronRunPage, _READ, Access.READ,
    "What became of each slot, of one scheduled prompt or of all, newest first.",
)  # fmt: skip

OPERATIONS = (create, list_, get, update, enable, disable, delete, run, upcoming, history)
