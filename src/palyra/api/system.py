"""Operations on the installation: the rows. What they do is in `handlers/system.py`."""

from palyra.api.operation import Operation
from palyra.domain.access import Access, Capability
from palyra.wire import system as wire

create_backup = Operation(
    "backup.create", "POST", "/v1/backups", wire.CreateBackup, wire.Backup, Capability.OPERATE, Access.OWN,
    "Make a verified backup.",
)  # fmt: skip
verify_backup = Operation(
    "backup.verify", "POST", "/v1/backups/verify", wire.VerifyBackup, wire.Backup, Capability.OWN, Access.NONE,
    "Check a backup from end to end.",
)  # fmt: skip
restore_backup = Operation(
    "backup.restore", "POST", "/v1/backups/restore", wire.RestoreBackup, wire.Restored, Capability.OWN, Access.NONE,
    "Put a backup in the place of the journal.",
)  # fmt: skip
examine = Operation(
    "system.doctor", "GET", "/v1/doctor", wire.Examine, wire.Examination, Capability.OPERATE, Access.NONE,
    "Look for anything wrong with this installation.",
)  # fmt: skip

status = Operation(
    "system.status", "GET", "/v1/status", wire.GetSystemStatus, wire.SystemStatus, Capability.OPERATE, Access.READ,
    "How this installation stands, at a glance.",
)  # fmt: skip

find_ids = Operation(
    "system.find_ids", "GET", "/v1/ids", wire.FindIds, wire.FoundIds, Capability.OWN, Access.READ,
    "Which ids begin so: for a person who types the first characters of one.",
)  # fmt: skip

OPERATIONS = (create_backup, verify_backup, restore_backup, examine, status, find_ids)
