import type { Clock } from '../../clock/clock.port.js';
import type { Log } from '../log.port.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Tracer } from './tracer.port.js';

type TracingOptions = Readonly<{
  /** URL of the collector; empty: traces are off. */
  endpoint: string;
  headers?: Readonly<Record<string, string>>;
  resourceAttributes?: Readonly<Record<string, string>>;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'spans'>;
}>;

/** Opens the tracer. Returns undefined if traces are off; nothing more is then loaded. */
export async function openTracer({ metrics, ...options }: TracingOptions): Promise<Tracer | undefined> {
  if (options.endpoint === '') return undefined;
  const { OtlpTracer } = await import('./otlp-tracer.js');
  return new OtlpTracer({ ...options, onSpans: (outcome, count) => metrics.spans(outcome, count) });
}
