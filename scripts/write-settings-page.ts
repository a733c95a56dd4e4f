import { writeFileSync } from 'node:fs';
import { settingsPage } from '#platform/config/settings-page';

writeFileSync('docs/settings.md', settingsPage());
