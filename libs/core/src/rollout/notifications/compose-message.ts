import {
  type Batch,
  type FleetNotification,
  type MessageLine,
  SEVERITIES,
  type Severity,
} from '../../kernel/api/fleet/fleet-notification.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { counted } from '../../kernel/text/counted.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { sizeOf, TEST_EVENT } from './delivery-state.js';
import { readTemplate } from './message-template.js';

/** One event of a message, as text. */
type MessageText = Readonly<{ text: string; url: string | undefined; line: MessageLine }>;

/** A message for people or programs, before it gets the format of its receiver. */
export type Message = Readonly<{
  id: string;
  /** Name of the FleetNotification. */
  notification: string;
  severity: Severity;
  title: string;
  lines: readonly MessageText[];
  counts: Readonly<Record<string, number>>;
  /** Events that are not in `lines`. */
  more: number;
  since: string;
  /** The start page of the web console. */
  consoleURL: string | undefined;
}>;

const TITLE = ['count', 'severity', 'summary', 'notification'] as const;
const LINE = ['event', 'severity', 'subject', 'message', 'time', 'link'] as const;
const DEFAULT_TITLE = '{{summary}}';
const DEFAULT_LINE = '{{event}} {{subject}}: {{message}}';
const MOST_TITLE = 200;
const MOST_LINE = 1_000;

type Named = Pick<FleetNotification, 'spec' | 'metadata'>;

/** Returns the problem of the templates. Undefined if they have none. */
export function templateProblem({ template = {} }: FleetNotification['spec']): string | undefined {
  const { title = DEFAULT_TITLE, line = DEFAULT_LINE } = template;
  const read = [readTemplate('spec.template.title', title, TITLE), readTemplate('spec.template.line', line, LINE)];
  return read.flatMap((one) => ('problem' in one ? [one.problem] : []))[0];
}

function rendererOf(field: string, template: string | undefined, names: readonly string[], usual: string) {
  const renders: ((values: Readonly<Record<string, string>>) => string)[] = [];
  for (const text of [template, usual]) {
    const read = text === undefined ? undefined : readTemplate(field, text, names);
    if (read !== undefined && 'render' in read) renders.push(read.render);
  }
  // A vendor refuses a message without text for ever.
  return (values: Readonly<Record<string, string>>) =>
    renders.map((render) => render(values)).find((written) => written.trim() !== '') ?? '';
}

/** Writes the texts of a message. The usual text takes the place of a template that fails. */
export function composeMessage({ metadata: { name }, spec }: Named, batch: Batch & Readonly<{ id: string }>): Message {
  const { template = {}, consoleURL } = spec;
  const base = consoleURL === undefined ? undefined : pageURL(consoleURL);
  const severity = batch.lines.map((line) => line.severity).reduce(higher, 'Info');
  const count = sizeOf(batch);
  const values = { count: String(count), severity, summary: summaryOf(batch, count), notification: name };
  const title = rendererOf('title', template.title, TITLE, DEFAULT_TITLE)(values);
  const render = rendererOf('line', template.line, LINE, DEFAULT_LINE);
  const lines = batch.lines.map((line) => {
    const url = base === undefined ? undefined : `${base}${line.path}`;
    const text = render({ ...line, time: line.at, link: url ?? '' });
    return { text: cutText(text, MOST_LINE), url, line };
  });
  const { id, counts, since } = batch;
  const more = count - lines.length;
  return {
    id,
    notification: name,
    severity,
    title: cutText(title, MOST_TITLE),
    lines,
    counts,
    more,
    since,
    consoleURL,
  };
}

/** Returns the address that paths of pages follow: without a query and an anchor. */
function pageURL(consoleURL: string): string | undefined {
  const url = URL.parse(consoleURL);
  return url === null ? undefined : `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const higher = (a: Severity, b: Severity): Severity => (SEVERITIES.indexOf(b) > SEVERITIES.indexOf(a) ? b : a);

function summaryOf({ counts, lines }: Batch, count: number): string {
  const [first] = lines;
  if (count === 1 && first !== undefined) {
    return first.event === TEST_EVENT ? 'Test message of Flotilla' : `${first.event}: ${first.subject}`;
  }
  const sorted = Object.entries(counts).sort(([a, m], [b, n]) => n - m || byCodeUnit(a, b));
  const parts = sorted.map(([event, number]) => `${number} ${event}`);
  return `${counted(count, 'event')}: ${parts.join(', ')}`;
}
