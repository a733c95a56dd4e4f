import type { Clock } from '../../clock/clock.port.js';
import type { Log } from '../log.port.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Tracer } from './tracer.port.js';

type TracingOptions = Readonly<{
  /** URL of the collector; empty: traces are off. */
  endpoint: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'spans'>;
}>;

/** Opens the tracer. Returns undefined if traces are off; nothing more is then loaded. */
export async function openTracer({ endpoint, clock, log, metrics }: TracingOptions): Promise<Tracer | undefined> {
  if (endpoint === '') return undefined;
  const { OtlpTracer } = await import('./otlp-tracer.js');
  return new OtlpTracer({ endpoint, clock, log, onSpans: (outcome, count) => metrics.spans(outcome, count) });
}
