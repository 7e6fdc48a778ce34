"""Long calls: in a thread of their own, with a bar that suits terminal and notebook, and an end by
Ctrl-C."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any, Optional, TypeVar, Union

from dsnn import _library

T = TypeVar("T")
Show = Callable[[dict[str, Any]], Any]


def long_call(call: Callable[[Any], T], progress: Union[bool, Show, None]) -> T:
    """Runs what takes a callback of the library, which waits for it without holding Python.

    `progress` is None (a bar where somebody looks), True, False, or a function that is told, a few
    times a second, where the work stands; if it raises, the work stops. So it does with Ctrl-C.
    """
    display: Optional[Display] = None
    if callable(progress):
        show: Optional[Show] = progress
    else:
        display = make_display(progress)
        show = None if display is None else display.show
    work = _Work(call)
    work.start()
    try:
        while not work.wait(0.05):
            message = work.take()
            if show is not None and message is not None:
                show(message)
    except BaseException:
        work.stop()
        raise
    finally:
        if display is not None:
            display.close()
        work.release()
    message = work.take()
    if callable(progress) and message is not None:
        progress(message)
    return work.result()


class _Work:
    """A call in a thread."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self._call = call
        self._message: Optional[bytes] = None
        self._stops = False
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._callback: Any = _library.PROGRESS(self._tell)
        self._thread = threading.Thread(target=self._run, name="dsnn", daemon=True)
        # Not by Thread.join(), which takes a thread for done when Ctrl-C interrupts it.
        self._done = threading.Event()

    def start(self) -> None:
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Whether it is done, after so long at most."""
        return self._done.wait(seconds)

    def take(self) -> Optional[dict[str, Any]]:
        """The newest message, once."""
        message, self._message = self._message, None
        return None if message is None else json.loads(message)

    def stop(self) -> None:
        """Asks for the end, and waits for it: checkpoints are being written."""
        self._stops = True
        while True:
            try:
                self._done.wait()
                return
            except KeyboardInterrupt:  # it is on its way
                continue

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._result

    def release(self) -> None:
        """Lets go of what keeps it alive: the callback has it, and it the callback."""
        self._callback = None

    def _run(self) -> None:
        try:
            self._result = self._call(self._callback)
        except BaseException as error:  # raised again by who waits
            self._error = error
        finally:
            self._done.set()

    def _tell(self, _: Any, message: bytes) -> int:
        self._message = message
        return 1 if self._stops else 0


def line_of(message: dict[str, Any]) -> str:
    """One line about a message.

    >>> line_of({"stage": "reading", "done": 1, "total": 4})
    'reading 25 %'
    """
    if "stage" in message:
        total = message["total"]
        share = f" {100 * message['done'] / total:.0f} %" if total else ""
        return f"{message['stage']}{share}"
    if "trials" in message:
        text = "training the members" if message["is_final"] else "searching"
        text += f", {message['trials']} trials, {message['seconds']:.0f} s"
        if message["best_model"]:
            text += (
                f"; best: {message['best_model']}, validation {message['best_val_accuracy']:.2f} %"
            )
        return text
    name = f"{message['name']}  " if "name" in message else ""
    return (
        f"{name}split {message['split']}  epoch {message['epoch']}/{message['epochs']}  "
        f"loss {message['train_loss']:.4f}  validation {message['val_accuracy']:.2f} %  "
        f"best {message['best_val_accuracy']:.2f} %"
    )


class Display:
    """Where lines go, one over the other."""

    def show(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class TerminalDisplay(Display):
    """One line of a terminal, which is gone in the end."""

    def __init__(self, stream: Any = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_drawn = False

    def show(self, message: dict[str, Any]) -> None:
        self._stream.write("\r\x1b[2K" + line_of(message)[:110])
        self._stream.flush()
        self._is_drawn = True

    def close(self) -> None:
        if self._is_drawn:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()


class NotebookDisplay(Display):
    """A line below the cell, with a bar where the end is known."""

    def __init__(self) -> None:
        from IPython import display  # there, as this is a notebook

        self._display = display
        self._handle = display.display(display.HTML(""), display_id=True)

    def show(self, message: dict[str, Any]) -> None:
        bar = ""
        if message.get("epochs"):
            bar = f"<progress value='{message['epoch']}' max='{message['epochs']}'></progress> "
        text = line_of(message).replace("&", "&amp;").replace("<", "&lt;")
        self._handle.update(self._display.HTML(f"{bar}<code>{text}</code>"))

    def close(self) -> None:
        self._handle.update(self._display.HTML(""))


def make_display(progress: Optional[bool]) -> Optional[Display]:
    """What suits: a notebook's, a terminal's, or none where nobody looks."""
    if progress is False:
        return None
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
        return NotebookDisplay()
    if progress is True or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty()):
        return TerminalDisplay()
    return None
