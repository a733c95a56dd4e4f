/** Each role may do what those before it may. */
export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What can be done in the console, and the least role for it. */
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
