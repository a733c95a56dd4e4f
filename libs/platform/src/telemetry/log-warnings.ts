import type { Log } from './log.port.js';

/** What Node.js warns of becomes a line of the log: what collects logs expects nothing but JSON. */
export function logWarnings(log: Log): void {
  process.removeAllListeners('warning'); // Node's own, which prints text
  process.on('warning', ({ name, message }) => log.warn({ warning: name, error: message }, 'Node.js warns'));
}
