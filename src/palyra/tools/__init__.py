"""The tools a model is offered, one file each."""

from palyra.tools import (
    memory_forget,
    memory_history,
    memory_retain,
    memory_search,
    workspace_list,
    workspace_read,
)
from palyra.tools.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (
    memory_search.TOOL,
    memory_retain.TOOL,
    memory_history.TOOL,
    memory_forget.TOOL,
    workspace_list.TOOL,
    workspace_read.TOOL,
)
