import type { Setting } from './setting.js';
import { environmentName, settingGroups } from './settings.js';

const INTRODUCTION = `# Settings

**Reference.** For administrators of a hub: every setting of its services, with default and unit.

Every service and \`flotilla up\` take their settings from the environment. If a value is wrong, the start ends with a list of all
wrong values. Durations are written as in Go (\`15m\`, \`1h30m\`, \`250ms\`), sizes as in Kubernetes (\`512Mi\`, \`4Gi\`).

This page is made from \`libs/platform/src/config/settings.ts\`; \`node dist/scripts/write-settings-page.js\` writes it anew.
`;

/** The page about all settings, in Markdown. */
export function settingsPage(): string {
  const sections = Object.entries(settingGroups).map(([title, group]) => {
    const rows = Object.entries<Setting<unknown>>(group).map(([key, setting]) => row(key, setting));
    return `## ${title}\n\n| Environment | Default | Unit | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function row(key: string, setting: Setting<unknown>): string {
  const fallback = setting.default === '' ? '(empty)' : `\`${setting.default}\``;
  const also = setting.aliases ? ` Also read from \`${setting.aliases.join('`, `')}\`.` : '';
  const secret = setting.secret ? ' May hold a password: it is never logged.' : '';
  return `| \`${environmentName(key)}\` | ${fallback} | ${setting.unit} | ${sentence(setting.meaning)}${also}${secret} |`;
}

const sentence = (meaning: string) => (meaning.endsWith('.') ? meaning : `${meaning}.`);
