import { createHash } from 'node:crypto';
import { visibleText } from '#core/kernel/text/visible-text';
import type { JobCounts, ShownJob } from '../queue/job-queue.port.js';
import { withoutUrlCredentials } from '../telemetry/log.js';

/** A queue as the page shows it; undefined parts: Redis did not answer in time. */
export type ShownQueue = Readonly<{
  name: string;
  counts: JobCounts | undefined;
  jobs: readonly ShownJob[] | undefined;
}>;

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#1b1f24;background:#fff}
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse}th,td{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top}
th{border-bottom:1px solid #888}td.n{text-align:right}.failed{color:#a40e26}.none{color:#666}`;

/** The page has no scripts, and nothing of it comes from elsewhere. */
export const QUEUE_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const COUNTS = ['waiting', 'active', 'delayed', 'failed', 'set-aside', 'completed'] as const;

/** The page about these queues at this time, as HTML. */
export function renderQueues(queues: readonly ShownQueue[], now: Date): string {
  const head = ['queue', ...COUNTS].map((name) => `<th>${name}</th>`).join('');
  const rows = queues.map(({ name, counts }) => {
    const cells = COUNTS.map((state) => `<td class="n">${counts?.[state] ?? '?'}</td>`).join('');
    return `<tr><td>${escaped(name)}</td>${cells}</tr>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Flotilla: queues</title><style>${STYLE}</style></head>
<body><h1>Queues</h1>
<p>As of ${now.toISOString()}. Nothing can be changed here; load the page again for newer figures.</p>
<table><tr>${head}</tr>
${rows.join('\n')}
</table>
${queues.map((queue) => jobsOf(queue, now)).join('\n')}
</body></html>
`;
}

function jobsOf({ name, jobs }: ShownQueue, now: Date): string {
  const title = `<h2>${escaped(name)}</h2>`;
  if (jobs === undefined) return `${title}<p class="failed">Redis did not answer in time.</p>`;
  if (jobs.length === 0) return `${title}<p class="none">No jobs.</p>`;
  const rows = jobs.map(
    ({ state, key, atMs, reason = '' }) =>
      `<tr class="${state}"><td>${state}</td><td>${escaped(key)}</td><td>${timeText(atMs, now)}</td><td>${escaped(reason)}</td></tr>`,
  );
  return `${title}<table><tr><th>state</th><th>key</th><th>since, or due</th><th>reason</th></tr>
${rows.join('\n')}
</table>`;
}

function timeText(atMs: number, now: Date): string {
  const seconds = Math.round((now.getTime() - atMs) / 1_000);
  return seconds >= 0 ? `${seconds} s ago` : `in ${-seconds} s`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Names and errors come from clusters and registries. */
const escaped = (text: string): string =>
  visibleText(withoutUrlCredentials(text)).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
