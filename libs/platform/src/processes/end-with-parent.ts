const ORPHAN_ENDS_WITHIN_MS = 3_000;

/**
 * The parent process that started this one over an IPC channel keeps it alive: when the channel
 * closes, the parent is gone.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), ORPHAN_ENDS_WITHIN_MS).unref();
  });
  // The channel must not keep a process alive that has ended its work.
  process.channel?.unref();
}
