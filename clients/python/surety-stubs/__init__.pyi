"""Types of surety.py, for mypy, pyright and editors."""

from typing import Any, Callable, Dict, List, Optional, TypeVar, Union

__all__ = [
    "Denied",
    "Failed",
    "Fault",
    "Held",
    "InDoubt",
    "InFlight",
    "Surety",
    "Unknown",
    "Unreachable",
    "arguments_hash",
    "canonical_json",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])

class Fault(Exception):
    code: str
    message: str
    remedy: str
    retryable: bool
    details: Optional[Dict[str, Any]]
    def __init__(
        self,
        code: str,
        message: str,
        remedy: str = "",
        retryable: bool = False,
        details: Optional[Dict[str, Any]] = None,
    ) -> None: ...
    def report(self) -> Dict[str, Any]: ...

class Denied(Fault): ...
class Held(Fault): ...
class InFlight(Fault): ...
class Failed(Fault): ...
class Unknown(Fault): ...
class Unreachable(Fault): ...
class InDoubt(Exception): ...

def canonical_json(value: Any) -> str: ...
def arguments_hash(arguments: Dict[str, Any]) -> str: ...

class Surety:
    def __init__(
        self,
        directory: Optional[str] = None,
        url: Optional[str] = None,
        token: Optional[str] = None,
        agent: Optional[str] = None,
        audience: str = "python",
    ) -> None: ...
    def propose(
        self,
        tool: str,
        arguments: Dict[str, Any],
        key: Optional[str] = None,
        task: Optional[str] = None,
        wait: Optional[float] = None,
        reported: Optional[List[Any]] = None,
    ) -> Any: ...
    def grant(
        self,
        tool: str,
        arguments: Dict[str, Any],
        key: Optional[str] = None,
        task: Optional[str] = None,
        wait: Optional[float] = None,
        reported: Optional[List[Any]] = None,
    ) -> Dict[str, Any]: ...
    def redeem(self, token: str) -> Dict[str, Any]: ...
    def settle(self, token: str, report: Dict[str, Any]) -> Dict[str, Any]: ...
    def deploy_and_validate(
        self,
        changes: str,
        validation_suite: Optional[str] = None,
        timeout_minutes: float = 10,
    ) -> Dict[str, Any]: ...
    def explain(self, proposal: str) -> Dict[str, Any]: ...
    def run(
        self,
        tool: str,
        arguments: Dict[str, Any],
        work: Callable[[], Any],
        key: Optional[str] = None,
        task: Optional[str] = None,
        wait: Optional[float] = None,
        reported: Optional[List[Any]] = None,
    ) -> Any: ...
    def guard(
        self,
        tool: str,
        key: Union[None, str, Callable[[Dict[str, Any]], str]] = None,
        task: Optional[str] = None,
        wait: Optional[float] = None,
        on_fault: Optional[Callable[[Fault], Any]] = None,
    ) -> Callable[[_Function], _Function]: ...
    def close(self, seconds: float = 5) -> None: ...
