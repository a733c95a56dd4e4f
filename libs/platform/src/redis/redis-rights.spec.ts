import { describe, expect, it } from 'vitest';
import { MissingRights } from './redis-rights.js';

describe('rights that a user of Redis lacks', () => {
  it.each([
    "NOPERM this user has no permissions to run the 'flushall' command",
    'NOPERM No permissions to access a key',
    "ERR The user executing the script can't access at least one of the keys mentioned script: bd6e, on @user_script:1.",
    "NOPERM ACL failure in script: User flotilla-resolver has no permissions to run the 'keys' command",
  ])('are named with the user, the command and the words of Redis for a minute: %s', (message) => {
    const clock = { ms: 0 };
    const rights = new MissingRights('flotilla-resolver', () => clock.ms);
    rights.note(new Error(message), 'evalsha');
    expect(rights.text).toContain(`Redis user "flotilla-resolver" lacks a right: ${message} (answer to EVALSHA)`);
    expect(rights.text).toContain('redis-users.acl');
    clock.ms = 60_001;
    expect(rights.text).toBeUndefined();
  });

  it.each(['WRONGTYPE Operation against a key', 'NOAUTH Authentication required.'])('are not: %s', (message) => {
    const rights = new MissingRights('default');
    rights.note(new Error(message));
    expect(rights.text).toBeUndefined();
  });
});
