import { signal } from '@preact/signals';
import type { Me } from '../../src/api/lists.schema.js';

const PLACE = 'flotilla-key';

/** The key of `flotilla console link`, if the console runs on this machine; empty otherwise. */
let key = '';

/** The signed-in person; null until the server has answered. */
export const me = signal<Me | null>(null);

/** The server refused the session: nothing is asked again until the person signs in. */
export const signedOut = signal(false);

const LINK = /^(?:\S*#key=)?([\w-]{16,200})$/;

/** Takes a link of the console, or its key, and opens the page again with it. False for other texts. */
export function signInWith(text: string): boolean {
  const found = LINK.exec(text.trim())?.[1];
  if (found === undefined) return false;
  localStorage.setItem(PLACE, found);
  location.reload();
  return true;
}

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

let byPerson = false;
/** True if the person ended the session, and not the server. */
export const signedOutByPerson = (): boolean => byPerson;

export function signOut(): void {
  byPerson = true;
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
