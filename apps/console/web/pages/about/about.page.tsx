import { ShortcutList, signOut } from '../../frame/frame.js';
import { me, signOutAccount } from '../../live/session.js';
import { Fact } from '../../parts/fact.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Bones } from '../../parts/states.js';

export default function AboutPage() {
  const person = me.value;
  return (
    <Page title="About">
      {person === null ? (
        <Bones lines={3} />
      ) : (
        <div class="columns">
          <div class="about">
            <dl class="facts stacked">
              <Fact name="Flotilla">{person.version}</Fact>
              <Fact name="Signed in as">
                {person.name}{' '}
                <span class="pale">
                  {person.by === 'loopback' ? 'with the key of this machine' : 'by your organisation'}
                </span>
              </Fact>
              {person.groups.length > 0 && <Fact name="Groups">{person.groups.join(', ')}</Fact>}
            </dl>
            <Section title="What you may do">
              <ul>
                {person.rights.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </Section>
            <p class="line-form">
              <a class="button" href="/openapi.json" target="_blank" rel="noopener">
                OpenAPI document
              </a>
              <SignOut by={person.by} />
            </p>
          </div>
          <Section title="Keys">
            <ShortcutList />
          </Section>
        </div>
      )}
      <SameCommand command="flotilla version" />
    </Page>
  );
}

function SignOut({ by }: { by: 'loopback' | 'oidc' }) {
  if (by === 'loopback') {
    return (
      <button type="button" onClick={signOut}>
        Sign out of this browser
      </button>
    );
  }
  return (
    <button type="button" onClick={() => void signOutAccount()}>
      Sign out
    </button>
  );
}
