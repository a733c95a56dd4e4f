import { z } from 'zod';
import { ROLES } from './console-verbs.js';

/** Names with `*` for any characters. */
const Patterns = z.array(z.string().min(1).max(253)).min(1).max(200);

const GrantModel = z
  .strictObject({
    users: z.array(z.string().min(1).max(253)).max(1_000).default([]),
    groups: z.array(z.string().min(1).max(253)).max(1_000).default([]),
    role: z.enum(ROLES),
    clusters: Patterns,
    labels: z.record(z.string(), z.string()).default({}),
    namespaces: Patterns.default(['*']),
    packages: Patterns.default(['*']),
  })
  .refine(({ users, groups }) => users.length + groups.length > 0, { error: 'names no users and no groups' });

/** The grants of a policy file. Anything that is not granted is denied. */
export const PolicyModel = z.strictObject({ grants: z.array(GrantModel).max(10_000) });
export type Policy = z.infer<typeof PolicyModel>;
export type Grant = z.infer<typeof GrantModel>;

/** The policy if there is no policy file. */
export const NO_GRANTS: Policy = { grants: [] };

/** Reads a policy. Returns the policy, or the problem of the value in one line that names the place. */
export function readPolicy(value: unknown): Readonly<{ policy: Policy } | { problem: string }> {
  const { success, data, error } = PolicyModel.safeParse(value);
  if (success) return { policy: data };
  const [issue] = error.issues;
  const place = issue?.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return { problem: `${place?.replace(/^\./, '') || 'the file'}: ${issue?.message ?? 'not understood'}` };
}
