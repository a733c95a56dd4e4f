import { describe, expect, it } from 'vitest';
import { composeMessage, templateProblem } from './compose-message.js';
import { notificationOf } from './notification.fixture.js';

const LINE = {
  ...{ event: 'Halted', severity: 'Error' as const, subject: 'FleetOperator/platform/kafka', message: 'resume it' },
  ...{ at: '2026-01-05T01:00:00.000Z', path: '/rollouts/platform%2Fkafka-3' },
};
const BATCH = { id: 'id', since: LINE.at, counts: { Halted: 1 }, lines: [LINE] };
const texts = (spec: object) => {
  const { title, lines } = composeMessage(notificationOf(spec), BATCH);
  return [title, ...lines.map(({ text }) => text)];
};
const USUAL = ['Halted: FleetOperator/platform/kafka', 'Halted FleetOperator/platform/kafka: resume it'];

describe('texts of a message', () => {
  it('are the usual ones without a template', () => {
    expect(texts({})).toEqual(USUAL);
  });

  it('follow the templates', () => {
    const template = { title: '{{severity}} × {{count}} ({{notification}})', line: '{{ subject }} {{link}} {{time}}' };
    expect(texts({ template, consoleURL: 'https://c.example' })).toEqual([
      'Error × 1 (on-call)',
      'FleetOperator/platform/kafka https://c.example/rollouts/platform%2Fkafka-3 2026-01-05T01:00:00.000Z',
    ]);
  });

  it.each([
    [
      { title: '{{cluster}}' },
      'spec.template.title: there is no {{cluster}}; use {{count}}, {{severity}}, {{summary}}, {{notification}}',
    ],
    [
      { line: '{{event' },
      'spec.template.line: {{ and }} must enclose one of {{event}}, {{severity}}, {{subject}}, {{message}}, {{time}}, {{link}}',
    ],
    [
      { title: ' \n' },
      'spec.template.title: it is empty; write a text or use {{count}}, {{severity}}, {{summary}}, {{notification}}',
    ],
  ])('of a template that fails are the usual ones, and the problem is named: %j', (template, problem) => {
    expect(templateProblem(notificationOf({ template }).spec)).toBe(problem);
    expect(texts({ template })).toEqual(USUAL);
  });

  it('are the usual ones where a template gives no text', () => {
    expect(texts({ template: { line: '{{link}}' } })).toEqual(USUAL);
  });

  it('do not run placeholders of foreign texts', () => {
    const foreign = { ...BATCH, lines: [{ ...LINE, message: '{{link}} $& $1' }] };
    const [line] = composeMessage(notificationOf({ consoleURL: 'https://c.example' }), foreign).lines;
    expect(line?.text).toBe('Halted FleetOperator/platform/kafka: {{link}} $& $1');
  });

  it('count several events by name', () => {
    const counts = { ClusterUnreachable: 998, Halted: 1 };
    expect(composeMessage(notificationOf(), { ...BATCH, counts })).toMatchObject({
      title: '999 events: 998 ClusterUnreachable, 1 Halted',
      more: 998,
      severity: 'Error',
    });
  });
});
