import { createHash } from 'node:crypto';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { contentGraph } from '#core/view/catalog-pages/content-graph';
import { contentPackage, contentTile } from '#core/view/catalog-pages/content-package';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';

export const ICON = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>');
export const ICON_HASH = createHash('sha256').update(ICON).digest('hex');

const LAMP = samplePackage(
  'lamp',
  sampleEntry('lamp', '1.0.0'),
  sampleEntry('lamp', '1.1.0', [], { replaces: 'lamp.v1.0.0' }),
  sampleEntry('lamp', '2.0.0', [], { channel: 'candidate', replaces: 'lamp.v1.0.0' }),
);
const CSV = {
  metadata: { name: 'lamp.v1.1.0', annotations: { description: 'Light', categories: 'Networking, Storage' } },
  spec: {
    ...{
      displayName: 'Lamp',
      version: '1.1.0',
      provider: { name: 'Example' },
      description: '# Lamp\n[x](javascript:1)',
    },
    links: ['https://example.com/', 'javascript:alert(1)'].map((url) => ({ name: 'link', url })),
  },
};

/** Returns the answer of a poller that holds a catalog with one package. */
export function contentAnswer(question: ConsoleQuestion): QuestionAnswer {
  if (question.ask === 'packages') {
    return { answer: { total: 1, items: [contentTile(LAMP, CSV, ICON_HASH)] } };
  }
  if (!('package' in question) || question.package !== 'lamp') return { because: 'gone', message: 'no such package' };
  if (question.ask === 'graph') return { answer: contentGraph(LAMP, question.from) };
  if (question.ask === 'icon') return { answer: { base64: ICON.toString('base64') } };
  return { answer: contentPackage(LAMP, CSV, ICON_HASH) };
}
