"""Runs long calls in a separate thread, with a progress bar and support for Ctrl-C."""

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
    """Runs `call` with a callback for the library in a separate thread, and returns its result.

    `progress` is None (a bar in terminals and notebooks), True, False, or a function that is called
    with a message several times a second. Ctrl-C or an exception of that function stops the work.
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
        # Thread.join() regards a thread as finished when Ctrl-C interrupts it.
        self._done = threading.Event()

    def start(self) -> None:
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Waits for at most `seconds`; returns whether the call has finished."""
        return self._done.wait(seconds)

    def take(self) -> Optional[dict[str, Any]]:
        """The latest message, or None if it was taken already."""
        message, self._message = self._message, None
        return None if message is None else json.loads(message)

    def stop(self) -> None:
        """Cancels the call and waits for it, as it may write checkpoints."""
        self._stops = True
        while True:
            try:
                self._done.wait()
                return
            except KeyboardInterrupt:  # it is already stopping
                continue

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._result

    def release(self) -> None:
        """Breaks the reference cycle with the callback."""
        self._callback = None

    def _run(self) -> None:
        try:
            self._result = self._call(self._callback)
        except BaseException as error:  # result() raises it again
            self._error = error
        finally:
            self._done.set()

    def _tell(self, _: Any, message: bytes) -> int:
        self._message = message
        return 1 if self._stops else 0


def line_of(message: dict[str, Any]) -> str:
    """A message as one line of text.

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
    """Shows the latest message."""

    def show(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class TerminalDisplay(Display):
    """A line of a terminal, erased at the end."""

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
    """A line below the cell, with a progress bar if the number of epochs is known."""

    def __init__(self) -> None:
        from IPython import display  # installed, as this is a notebook

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
    """The display for this notebook or terminal; None if the output is not a terminal."""
    if progress is False:
        return None
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
        return NotebookDisplay()
    if progress is True or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty()):
        return TerminalDisplay()
    return None
