import semver from 'semver';
import { z } from 'zod';

/** An export of advisories that cannot be used: nothing was checked with it. */
export class UnreadableExport extends Error {}

const Event = z.looseObject({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});
const Affected = z.looseObject({
  package: z.looseObject({ ecosystem: z.string(), name: z.string() }).optional(),
  ranges: z.array(z.looseObject({ type: z.string(), events: z.array(Event) })).default([]),
  versions: z.array(z.string()).default([]),
});
/** A record of OSV (ossf.github.io/osv-schema); GitHub's advisories are published in this form, too. */
const Advisory = z.looseObject({
  id: z.string(),
  modified: z.iso.datetime({ offset: true }),
  withdrawn: z.string().optional(),
  summary: z.string().default(''),
  affected: z.array(Affected).default([]),
});
type Advisory = z.infer<typeof Advisory>;

export type PackageVersion = Readonly<{ name: string; version: string }>;
/**
 * Findings in an export. `newest`: time of the last change to the youngest record, the least age of the
 * export.
 */
export type ExportFindings = Readonly<{ found: readonly string[]; records: number; newest: string }>;

/**
 * Checks packages against an export of OSV: a JSON array, or one record a line. Throws {@link
 * UnreadableExport} if any record cannot be read, or none is about npm.
 */
export function findInExport(text: string, packages: readonly PackageVersion[]): ExportFindings {
  const ofNpm = recordsIn(text).filter(({ affected }) => affected.some(isOfNpm));
  if (ofNpm.length === 0) throw new UnreadableExport('has no advisory of npm');
  const newest =
    ofNpm
      .map(({ modified }) => new Date(modified).toISOString())
      .toSorted()
      .at(-1) ?? '';
  const valid = ofNpm.filter(({ withdrawn }) => withdrawn === undefined);
  const found = valid.flatMap((advisory) => packages.filter((one) => concerns(advisory, one)).map(lineOf(advisory)));
  return { found: [...new Set(found)].toSorted(), records: ofNpm.length, newest };
}

const lineOf =
  ({ id, summary }: Advisory) =>
  ({ name, version }: PackageVersion): string =>
    `${name}@${version}: ${id}${summary === '' ? '' : `: ${summary.slice(0, 120)}`}`;

const isOfNpm = (affected: Advisory['affected'][number]): boolean => affected.package?.ecosystem === 'npm';

const concerns = ({ affected }: Advisory, { name, version }: PackageVersion): boolean =>
  affected.some(
    (one) =>
      isOfNpm(one) &&
      one.package?.name === name &&
      (one.versions.includes(version) || one.ranges.some(({ type, events }) => isWithin(type, events, version))),
  );

/** Events in their order open and close the range. */
function isWithin(type: string, events: readonly z.infer<typeof Event>[], version: string): boolean {
  if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return false;
  let within = false;
  for (const { introduced, fixed, last_affected: last } of inOrder(events)) {
    if (introduced !== undefined && (introduced === '0' || semver.gte(version, introduced))) within = true;
    if (fixed !== undefined && semver.gte(version, fixed)) within = false;
    if (last !== undefined && semver.gt(version, last)) within = false;
  }
  return within;
}

type Event = z.infer<typeof Event>;
const versionOf = ({ introduced, fixed, last_affected: last }: Event): string => {
  const text = introduced ?? fixed ?? last ?? '0';
  return text === '0' ? '0.0.0-0' : text;
};

function inOrder(events: readonly Event[]): readonly Event[] {
  const unknown = events.map(versionOf).find((text) => semver.valid(text) === null);
  if (unknown !== undefined) throw new UnreadableExport(`names "${unknown.slice(0, 60)}", which is not a version`);
  return events.toSorted((a, b) => semver.compare(versionOf(a), versionOf(b)));
}

function recordsIn(text: string): readonly Advisory[] {
  const trimmed = text.trim();
  const values = trimmed.startsWith('[') ? arrayIn(trimmed) : linesIn(trimmed);
  return values.map((value, at) => {
    const { data, error } = Advisory.safeParse(value);
    if (data !== undefined) return data;
    const [issue] = error.issues;
    throw new UnreadableExport(`record ${at + 1} is none of OSV: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
  });
}

function arrayIn(text: string): readonly unknown[] {
  const value = jsonOf(text, 'is');
  return Array.isArray(value) ? value : [];
}

const linesIn = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => jsonOf(line, `line ${at + 1} is`));

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableExport(`${what} not JSON; expected records of OSV, as an array or one a line`);
  }
}

/** The age of an export in days, as a person says it. */
export function ageText(newest: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(newest)) / 86_400_000);
  return days < 1 ? 'less than a day old' : days === 1 ? 'a day old' : `${days} days old`;
}
