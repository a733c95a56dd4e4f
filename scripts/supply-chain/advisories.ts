import { z } from 'zod';

const Advisory = z.looseObject({ title: z.string(), url: z.string(), severity: z.string(), range: z.string() });
const Report = z.looseObject({
  vulnerabilities: z.record(
    z.string(),
    z.looseObject({ severity: z.string(), via: z.array(z.union([z.string(), Advisory])) }),
  ),
});
const Failure = z.looseObject({ message: z.string() });

export type Advisories = Readonly<
  | { checked: true; found: readonly string[] }
  /** The registry, or the way to it, does not answer the question. */
  | { checked: false; because: string }
>;

/**
 * Returns the findings of `npm audit --json`, one line for each advisory; or the reason that npm could not
 * ask.
 */
export function advisoriesOf(output: string): Advisories {
  const data = parsed(output);
  const report = Report.safeParse(data);
  if (!report.success) {
    const failure = Failure.safeParse(data);
    return { checked: false, because: failure.success ? failure.data.message : 'npm audit gave no report' };
  }
  const found = Object.entries(report.data.vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((one) =>
      typeof one === 'string' ? [] : [`${name} ${one.range}: ${one.severity}: ${one.title} (${one.url})`],
    ),
  );
  return { checked: true, found: [...new Set(found)].sort() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
