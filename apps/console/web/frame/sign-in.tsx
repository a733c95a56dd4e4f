import { useEffect, useState } from 'preact/hooks';
import { accountSignIn, me, signedOutByPerson, signInWith } from '../live/session.js';
import { Mark } from './mark.js';

/** The ways to sign in, and the reason why a page that was open shows them. */
export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Flotilla';
  }, []);
  const back = encodeURIComponent(location.pathname + location.search);
  const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  const [hasAccounts, setHasAccounts] = useState(false);
  useEffect(() => {
    void accountSignIn().then(setHasAccounts);
  }, []);
  return (
    <main class="sign-in">
      <p class="brand">
        <Mark /> Flotilla
      </p>
      <h1>Sign in</h1>
      {me.value !== null && !signedOutByPerson() && (
        <p class="notice" role="status">
          The hub ended this session: it has expired, or the hub has another key now. After signing in, this page opens
          again.
        </p>
      )}
      <p>
        {isLoopback ? 'Open' : 'On the machine of the hub, open'} the link that <code>flotilla console link</code>{' '}
        prints, or paste it here.
      </p>
      <WithKey />
      {hasAccounts && (
        <p>
          <a class="button primary" href={`/auth/login?to=${back}`} target="_top">
            Sign in with your organisation
          </a>
        </p>
      )}
    </main>
  );
}

/** The field for a link or its key. The text is a secret, so it is not shown. */
function WithKey() {
  const [text, setText] = useState('');
  const [isRefused, setRefused] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setRefused(!signInWith(text));
  };
  return (
    <form class="line-form" onSubmit={submit}>
      <input
        type="password"
        class="key"
        aria-label="Link or key"
        placeholder="Link or key"
        autoComplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Sign in</button>
      {isRefused && (
        <span class="ink-failed" role="alert">
          This text is no link of the console.
        </span>
      )}
    </form>
  );
}
