/** Time, as something that can be replaced: every rule driven by time asks this and never the machine. */
export abstract class Clock {
  abstract now(): Date;
  /** Calls back once, `delayMs` from now. The returned function cancels it. */
  abstract after(delayMs: number, callback: () => void): () => void;

  /**
   * Resolves after `delayMs`, or at once when the signal is aborted: an interrupted sleep is not an error.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.after(delayMs, wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
