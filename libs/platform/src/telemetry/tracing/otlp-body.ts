import { spanIdOf } from '#core/kernel/change/span-id';
import { type EndedSpan, SPANS } from './tracer.port.js';

const NANOS_PER_MS = 1_000_000n;
/** OTLP's code of a span that failed. */
const FAILED = 2;
/** OTLP's kind of a span within a service. */
const INTERNAL = 1;

/**
 * Returns the request of OTLP over HTTP for these spans, as JSON: one resource for each service. `given`:
 * attributes of every resource. A service keeps its own name.
 */
export function otlpBody(
  spans: readonly EndedSpan[],
  version: string,
  given: Readonly<Record<string, string>> = {},
): string {
  const services = [...new Set(spans.map(({ name }) => SPANS[name].service))];
  const resourceSpans = services.map((service) => ({
    resource: { attributes: attributesOf({ 'service.namespace': 'flotilla', ...given, 'service.name': service }) },
    scopeSpans: [
      {
        scope: { name: 'flotilla', version },
        spans: spans.filter(({ name }) => SPANS[name].service === service).map(otlpSpan),
      },
    ],
  }));
  return JSON.stringify({ resourceSpans });
}

function otlpSpan({ name, change, of, startMs, endMs, attributes, error }: EndedSpan): object {
  const { parent } = SPANS[name];
  return {
    traceId: change,
    spanId: spanIdOf(change, of === undefined ? name : `${name} ${of}`),
    ...(parent !== undefined && { parentSpanId: spanIdOf(change, parent) }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    ...(error !== undefined && { status: { code: FAILED, message: error } }),
  };
}

/** A number of JavaScript has too few digits for it. */
const nanos = (ms: number): string => String(BigInt(Math.round(ms)) * NANOS_PER_MS);

const attributesOf = (attributes: EndedSpan['attributes']): readonly object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  );
