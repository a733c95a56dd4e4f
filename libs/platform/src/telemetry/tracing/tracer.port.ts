/**
 * The spans of a change, each with the service that does its work, and its parent. Times that come from
 * Kubernetes have whole seconds.
 * - `observe`: from the first event until the problem is published.
 * - `wait for a resolver`: of the problem, in its queue.
 * - `solve`: until there is a solution.
 * - `plan`: the part of a pass that makes the InstallPlan.
 * - `install`: from the start of an approved InstallPlan until it is Complete or Failed.
 * - `ready`: from the same start until a ClusterServiceVersion of it is Succeeded.
 */
export const SPANS = {
  observe: { service: 'catalog-poller', parent: undefined },
  'wait for a resolver': { service: 'resolver-worker', parent: 'observe' },
  solve: { service: 'resolver-worker', parent: 'observe' },
  plan: { service: 'applier', parent: 'observe' },
  install: { service: 'applier', parent: 'plan' },
  ready: { service: 'applier', parent: 'plan' },
} as const;
type SpanName = keyof typeof SPANS;

/** A piece of work of a change that has ended. */
export type EndedSpan = Readonly<{
  name: SpanName;
  change: string;
  /** Distinguishes spans of the same name: a ClusterServiceVersion. */
  of?: string | undefined;
  /** Start and end, both in milliseconds since 1970. */
  startMs: number;
  endMs: number;
  /** Attributes of the span. Undefined ones are left out. */
  attributes: Readonly<Record<string, string | undefined>>;
  /** The reason why it failed. */
  error?: string | undefined;
}>;

/** Takes the spans of changes. There is none if traces are off. */
export type Tracer = Readonly<{
  nowMs(): number;
  ended(span: EndedSpan): void;
  /** Sends the rest, for a second at most. */
  stop(): Promise<void>;
}>;
