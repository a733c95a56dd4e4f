import { signal } from '@preact/signals';
import type { Me } from '../../src/api/lists.schema.js';

const PLACE = 'flotilla-key';

/** The key of `flotilla console link`, if the console runs on this machine; empty otherwise. */
let key = '';

/** The signed-in person; null until the server has answered. */
export const me = signal<Me | null>(null);

/** The server refused the session: nothing is asked again until the person signs in. */
export const signedOut = signal(false);

/** Takes the key out of the address at once, so that it is in no history, picture or link. */
export function takeKey(): void {
  const found = /^#key=([\w-]{16,200})$/.exec(location.hash)?.[1];
  if (found !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    localStorage.setItem(PLACE, found);
  }
  key = found ?? localStorage.getItem(PLACE) ?? '';
  signedOut.value = false;
}

export function signOut(): void {
  localStorage.removeItem(PLACE);
  key = '';
  signedOut.value = true;
}

/** Ends the session of an account on the server, too. */
export async function signOutAccount(): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-csrf-token': me.value?.csrf ?? '' };
  await fetch('/auth/logout', { method: 'POST', body: '{}', headers, credentials: 'same-origin' });
  signOut();
}

/** True if people sign in with accounts here. */
export async function accountSignIn(): Promise<boolean> {
  const answer = await fetch('/auth/ways').catch(() => undefined);
  return answer?.ok === true && ((await answer.json()) as { account: boolean }).account;
}

/** Returns headers that identify the person to the server. */
export function credentials(): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}
