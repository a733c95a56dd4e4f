import type { z } from 'zod';

/** The form of a payload between services: this release's form, and the upgrades of older ones. */
export type PayloadForm<T> = Readonly<{
  /** The `v` of the payloads that this release writes. */
  version: number;
  schema: z.ZodType<T>;
  /** Upgrades by version: each makes a payload of the next version from one of this version. */
  upgrades?: Readonly<Record<number, (older: OlderPayload) => OlderPayload>>;
}>;

type OlderPayload = Readonly<Record<string, unknown>>;

type PayloadRead<T> =
  | Readonly<{ kind: 'read'; value: T }>
  /** A payload of a release that is newer than this one. */
  | Readonly<{ kind: 'newer'; version: number }>
  | Readonly<{ kind: 'invalid'; problems: string }>;

/** A version beyond is none that a release will have. */
const LAST_VERSION = 1_000;

/**
 * Reads a payload, after upgrading it if an older release wrote it. Reads only the version if a newer release
 * wrote it (decision 0280).
 */
export function readPayload<T>(data: unknown, { version, schema, upgrades = {} }: PayloadForm<T>): PayloadRead<T> {
  const found = versionOf(data);
  if (found !== undefined && found > version) return { kind: 'newer', version: found };
  let payload = data;
  for (let at = found ?? version; at < version; at++) {
    const upgrade = upgrades[at];
    if (upgrade === undefined) return { kind: 'invalid', problems: `version ${found} is no longer supported` };
    payload = { ...upgrade(payload as OlderPayload), v: at + 1 };
  }
  const parsed = schema.safeParse(payload);
  if (parsed.success) return { kind: 'read', value: parsed.data };
  return { kind: 'invalid', problems: parsed.error.issues.map(({ message }) => message).join('; ') };
}

function versionOf(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const { v } = data as OlderPayload;
  return typeof v === 'number' && Number.isInteger(v) && v >= 1 && v <= LAST_VERSION ? v : undefined;
}
