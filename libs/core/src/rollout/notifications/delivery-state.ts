import { hash } from 'node:crypto';
import {
  type Batch,
  EVENT_SEVERITY,
  type FleetNotification,
  type FleetNotificationStatus,
  type MessageLine,
  MOST_LINES,
  type ReceiverState,
  SEVERITIES,
  type Severity,
} from '../../kernel/api/fleet/fleet-notification.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { parseGoDuration } from '../../kernel/durations/go-duration.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { visibleText } from '../../kernel/text/visible-text.js';
import type { FleetFact } from './fleet-facts.js';

type Spec = FleetNotification['spec'];

/** Name of the event of a test message. */
export const TEST_EVENT = 'Test';
const MARK_LENGTH = 8;
/** More facts than this are not kept apart. */
const MOST_FACTS = 60_000;
const MOST_MESSAGE = 400;
const LONGEST_TEST = 253;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 900_000;
const LONGEST_ASKED_MS = 3_600_000;

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);
const markOf = ({ key }: FleetFact): string => hash('sha256', key, 'base64url').slice(0, MARK_LENGTH);
const marksIn = (known: string): ReadonlySet<string> => new Set(known.match(/.{8}/g) ?? []);

/** The duration in milliseconds. The schema has checked the text. */
function msOf(text: string): number {
  const parsed = parseGoDuration(text);
  return 'ms' in parsed ? parsed.ms : 0;
}

type Finding = Readonly<{
  /** Facts that are true now. */
  facts: readonly FleetFact[];
  /** Creation of the FleetNotification. Its first pass reports no earlier facts. */
  createdAt: string;
  /** Value of the annotation that asks for a test message. */
  test?: string | undefined;
  /** Generation of the FleetNotification. A new one has receivers that fail asked at once. */
  generation?: number | undefined;
  now: number;
}>;

/**
 * Adds new facts to the next messages of the receivers. A fact is new if its mark is not in the status: it
 * became true since the last pass, also if the notifier was away meanwhile.
 */
export function gathered(
  before: FleetNotificationStatus,
  { spec, metadata }: Pick<FleetNotification, 'spec' | 'metadata'>,
  { facts, createdAt, test, generation, now }: Finding,
): FleetNotificationStatus {
  const kept = facts.slice(0, MOST_FACTS);
  const known = before.known === undefined ? undefined : marksIn(before.known);
  const isNew = (fact: FleetFact) =>
    known === undefined ? Date.parse(fact.at) >= Date.parse(createdAt) : !known.has(markOf(fact));
  const lines = kept.filter((fact) => isNew(fact) && isSelected(fact, spec)).map(lineOf);
  const asked = test?.slice(0, LONGEST_TEST);
  const isTest = asked !== undefined && asked !== before.tested;
  const tests = isTest ? [testLine(metadata.name, now)] : [];
  const isChanged = generation !== undefined && generation !== before.observedGeneration;
  const held = (before.receivers ?? []).map((state) => (isTest || isChanged ? withoutPause(state) : state));
  const states = new Map(held.map((state) => [state.name, state]));
  const receivers = spec.receivers.map(({ name, minSeverity }) => {
    const own = lines.filter(({ severity }) => rank(severity) >= rank(minSeverity));
    return withLines(states.get(name) ?? { name, delivered: 0, failures: 0, waiting: 0 }, [...tests, ...own], now);
  });
  return {
    ...before,
    receivers,
    known: [...new Set(kept.map(markOf))].sort().join(''),
    ...(isTest ? { tested: asked } : {}),
  };
}

function withoutPause({ nextAttemptAt: _at, ...state }: ReceiverState): ReceiverState {
  return state;
}

function isSelected({ event, subject }: FleetFact, { events, subjects = {} }: Spec): boolean {
  const { kinds, namespaces, selector } = subjects;
  if (events.length > 0 && !events.includes(event)) return false;
  if (kinds !== undefined && !kinds.includes(subject.kind)) return false;
  if (namespaces !== undefined && subject.namespace !== undefined && !namespaces.includes(subject.namespace)) {
    return false;
  }
  const selects = readSelector(selector);
  return typeof selects === 'function' && selects(subject.labels);
}

const lineOf = ({ event, subject: { kind, namespace, name }, message, at, path }: FleetFact): MessageLine => ({
  ...{ event, severity: EVENT_SEVERITY[event], at, path: path.slice(0, 1_024) },
  subject: [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/'),
  message: cutText(visibleText(message), MOST_MESSAGE),
});

const testLine = (name: string, now: number): MessageLine => ({
  ...{ event: TEST_EVENT, severity: 'Info', subject: `FleetNotification/${name}`, path: '/hub' },
  ...{ message: 'this is a test message', at: new Date(now).toISOString() },
});

/** Adds lines to the next message. It shows the most severe ones, and counts all. */
function withLines(state: ReceiverState, lines: readonly MessageLine[], now: number): ReceiverState {
  if (lines.length === 0) return state;
  const { since = new Date(now).toISOString(), counts: before = {}, lines: first = [] } = state.gathering ?? {};
  const counts = { ...before };
  for (const { event } of lines) counts[event] = (counts[event] ?? 0) + 1;
  const all = [...first, ...lines].sort((a, b) => rank(b.severity) - rank(a.severity));
  return counted({ ...state, gathering: { since, counts, lines: all.slice(0, MOST_LINES) } });
}

/** Returns the number of events of a message. */
export const sizeOf = ({ counts }: Pick<Batch, 'counts'>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function counted(state: ReceiverState): ReceiverState {
  const parts = [state.gathering, state.sending].filter((one) => one !== undefined);
  return { ...state, waiting: parts.reduce((sum, part) => sum + sizeOf(part), 0) };
}

/** `due`: receivers with a message to send now. `wakeAt`: the next time at which something is due. */
type Dispatch = Readonly<{ status: FleetNotificationStatus; due: readonly string[]; wakeAt: number | undefined }>;

/**
 * Makes a message of the events that have waited long enough. A receiver gets one message at a time, no more
 * than one in each interval.
 */
export function dispatched(status: FleetNotificationStatus, of: string, { group }: Spec, now: number): Dispatch {
  const { wait = '10s', interval = '1m' } = group ?? {};
  const times = { waitMs: msOf(wait), intervalMs: msOf(interval) };
  const receivers = (status.receivers ?? []).map((stored) => {
    const state = notAhead(stored, now);
    if (state.sending !== undefined || state.gathering === undefined) return state;
    if (readyAt(state, state.gathering, times) > now) return state;
    const { gathering, ...rest } = state;
    const id = canonicalHash([of, state.name, state.delivered, gathering]).slice(0, 32);
    return { ...rest, sending: { ...gathering, id } };
  });
  const at = receivers.flatMap((state) => nextAt(state, times) ?? []);
  return {
    status: { ...status, receivers },
    due: receivers.filter((state) => state.sending !== undefined && attemptAt(state) <= now).map(({ name }) => name),
    wakeAt: at.length === 0 ? undefined : Math.min(...at),
  };
}

/** Takes back times that a clock wrote while it was ahead: they would silence the receiver. */
function notAhead(state: ReceiverState, now: number): ReceiverState {
  const { lastDeliveredAt, nextAttemptAt, gathering } = state;
  return {
    ...state,
    ...(lastDeliveredAt === undefined ? {} : { lastDeliveredAt: atMost(lastDeliveredAt, now) }),
    ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: atMost(nextAttemptAt, now + LONGEST_ASKED_MS) }),
    ...(gathering === undefined ? {} : { gathering: { ...gathering, since: atMost(gathering.since, now) } }),
  };
}

const atMost = (time: string, latest: number): string =>
  Date.parse(time) > latest ? new Date(latest).toISOString() : time;

type Times = Readonly<{ waitMs: number; intervalMs: number }>;

function readyAt({ lastDeliveredAt }: ReceiverState, { since, counts }: Batch, { waitMs, intervalMs }: Times): number {
  // A person waits for a test message.
  if (TEST_EVENT in counts) return Date.parse(since);
  const free = lastDeliveredAt === undefined ? 0 : Date.parse(lastDeliveredAt) + intervalMs;
  return Math.max(Date.parse(since) + waitMs, free);
}

const attemptAt = ({ nextAttemptAt }: ReceiverState): number =>
  nextAttemptAt === undefined ? 0 : Date.parse(nextAttemptAt);

function nextAt(state: ReceiverState, times: Times): number | undefined {
  if (state.sending !== undefined) return attemptAt(state);
  return state.gathering === undefined ? undefined : readyAt(state, state.gathering, times);
}

/** Outcome of an attempt. `failure`: reason and remedy. `afterMs`: pause that the receiver asks for. */
export type DeliveryOutcome = Readonly<{ failure?: string; afterMs?: number | undefined }>;

/** Notes the outcome of the message `id`. A message that another attempt has settled changes nothing. */
export function settled(
  status: FleetNotificationStatus,
  { name, id }: Readonly<{ name: string; id: string }>,
  { failure, afterMs = 0 }: DeliveryOutcome,
  now: number,
): FleetNotificationStatus {
  const receivers = (status.receivers ?? []).map((state) => {
    if (state.name !== name || state.sending?.id !== id) return state;
    if (failure !== undefined) return failedOnce(state, failure, afterMs, now);
    const { sending: _sent, nextAttemptAt: _at, lastFailure: _failure, ...rest } = state;
    const lastDeliveredAt = new Date(now).toISOString();
    return counted({ ...rest, delivered: state.delivered + 1, failures: 0, lastDeliveredAt });
  });
  return { ...status, receivers };
}

function failedOnce(state: ReceiverState, failure: string, afterMs: number, now: number): ReceiverState {
  const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(state.failures, 20));
  const wait = Math.max(pause, Math.min(afterMs, LONGEST_ASKED_MS));
  return {
    ...state,
    failures: state.failures + 1,
    lastFailure: cutText(visibleText(failure), MOST_MESSAGE),
    nextAttemptAt: new Date(now + wait).toISOString(),
  };
}
