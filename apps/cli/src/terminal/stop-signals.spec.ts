import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { stopSignal } from './stop-signals.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Calls the handler that `stopSignal` adds, and no other of this process. */
function started(graceMs: number) {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)] as const));
  let lateLines = 0;
  const stopped = stopSignal(graceMs, () => {
    lateLines += 1;
  });
  const added = (signal: (typeof SIGNALS)[number]) =>
    process.listeners(signal).filter((one) => !before.get(signal)?.includes(one));
  const send = (signal: (typeof SIGNALS)[number]) => {
    for (const one of added(signal)) one(signal);
  };
  const forget = () => {
    for (const signal of SIGNALS) for (const one of added(signal)) process.off(signal, one);
  };
  return { stopped, send, forget, late: () => lateLines };
}

describe('stopSignal', () => {
  it('ends the process with 3, not with the "no" of 1, where the services do not end in time', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const { stopped, send, forget, late } = started(5);
    send('SIGTERM');
    expect(await stopped).toBe('SIGTERM');
    await vi.waitFor(() => expect(exit).toHaveBeenCalled(), PATIENCE);
    expect({ code: exit.mock.calls[0]?.[0], late: late() }).toEqual({ code: 3, late: 1 });
    forget();
  });

  it('ends the process at once at a second signal, as the shell reports it, and not once more later', async () => {
    vi.useFakeTimers();
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const { stopped, send, forget } = started(60_000);
    send('SIGINT');
    expect(await stopped).toBe('SIGINT');
    expect(exit).not.toHaveBeenCalled();
    send('SIGINT');
    vi.runAllTimers();
    expect(exit.mock.calls).toEqual([[130]]);
    forget();
  });
});
