/** User and password of a proxy's URL; an escape that is none stays as it is written. */
export const proxyLogin = ({ username, password }: URL): Readonly<{ user: string; password: string }> => ({
  user: unescaped(username),
  password: unescaped(password),
});

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
