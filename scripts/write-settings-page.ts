import { writeFileSync } from 'node:fs';
import { chartSchema } from '#platform/config/chart-schema';
import { settingsPage } from '#platform/config/settings-page';

writeFileSync('docs/settings.md', settingsPage());
writeFileSync('charts/flotilla/values.schema.json', chartSchema());
