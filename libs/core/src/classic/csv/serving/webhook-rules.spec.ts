import { describe, expect, it } from 'vitest';
import { gear } from '../world/csv-world.fixture.js';
import { webhookError } from './webhook-rules.js';

const definition = (generateName: string, ...rules: object[]) => ({
  generateName,
  type: 'ValidatingAdmissionWebhook',
  rules,
});
const admission = (...resources: string[]) => ({ apiGroups: ['admissionregistration.k8s.io'], resources });

describe('csv-lifecycle.md §7, rules guard', () => {
  it.each([
    { webhooks: [definition('a', { apiGroups: ['*'] })], error: 'webhook rules cannot include all groups' },
    {
      webhooks: [definition('a', { apiGroups: ['apps'] }, { apiGroups: ['operators.coreos.com'] })],
      error: 'webhook rules cannot include the OLM group',
    },
    ...['*', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((resource) => ({
      webhooks: [definition('a', admission(resource))],
      error: 'webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources',
    })),
    { webhooks: [definition('a'), definition('a')], error: 'CSV contains repeated WebhookDescription name' },
    { webhooks: [definition('a', admission('pods')), definition('b', { apiGroups: ['apps'] })], error: undefined },
    { webhooks: [definition('a', { apiGroups: 'not a list' })], error: undefined },
    { webhooks: null, error: undefined },
  ])('$error', ({ webhooks, error }) => {
    expect(webhookError(gear('v1', { webhookdefinitions: webhooks }))).toBe(error);
  });
});
