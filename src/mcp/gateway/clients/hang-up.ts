import { SdkError } from '@modelcontextprotocol/server';

/** A client that says that it does not want the answer any more; one that is away has not said. */
class Cancelled extends Error {}

/** The end of a request, which knows whether its client has asked for it. */
export function endOf(signal: AbortSignal): AbortSignal {
  const end = new AbortController();
  const leave = (): void => {
    const { reason } = signal;
    end.abort(reason instanceof SdkError ? reason : new Cancelled('the client cancelled the call'));
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return end.signal;
}

/** Aborts when the client cancels, and not when it is only gone. */
export function onlyCancelled(end: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  const look = (): void => {
    if (end.reason instanceof Cancelled) cancelled.abort(end.reason);
  };
  if (end.aborted) look();
  else end.addEventListener('abort', look, { once: true });
  return cancelled.signal;
}
