/** Roles of the console. Each role includes the rights of those before it. */
export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Verbs of the console, and the least role for each. */
export const ROLE_OF_VERB = {
  see: 'viewer',
  approve: 'approver',
  retry: 'operator',
  'roll-back': 'operator',
  pause: 'operator',
  resume: 'operator',
  abort: 'operator',
  hub: 'admin',
} as const satisfies Readonly<Record<string, Role>>;
export type ConsoleVerb = keyof typeof ROLE_OF_VERB;
export const CONSOLE_VERBS = Object.keys(ROLE_OF_VERB) as [ConsoleVerb, ...ConsoleVerb[]];
