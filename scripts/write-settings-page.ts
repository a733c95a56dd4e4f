import { readFileSync, writeFileSync } from 'node:fs';
import { chartSchema } from '#platform/config/chart-schema';
import { settingsPage } from '#platform/config/settings-page';
import { chartReadme } from './distribution/chart-readme.js';

writeFileSync('docs/settings.md', settingsPage());
writeFileSync('charts/flotilla/values.schema.json', chartSchema());
writeFileSync('charts/flotilla/README.md', chartReadme(readFileSync('charts/flotilla/values.yaml', 'utf8')));
