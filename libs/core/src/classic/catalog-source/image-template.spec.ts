import { describe, expect, it } from 'vitest';
import { resolveImageTemplate } from './image-template.js';

describe('catalog-sources.md §7, image templates', () => {
  it.each([
    {
      template: 'quay.io/shelf/c:v{kube_major_version}.{kube_minor_version}.{kube_patch_version}',
      version: 'v1.34.4',
      image: 'quay.io/shelf/c:v1.34.4',
      because: 'all three variables',
    },
    { template: 'a/b:{kube_minor_version}', version: 'v1.33.5-gke.1+ab', image: 'a/b:33', because: 'a distribution' },
    { template: 'a/b:{kube_minor_version}', version: '1.30.0+k3s1', image: 'a/b:30', because: 'no leading v' },
    { template: 'a/b:latest', version: undefined, image: 'a/b:latest', because: 'no variable needs no version' },
    {
      template: 'a/b:{kube_minor_version}-{kube_minor_version}',
      version: 'v1.9.0',
      image: 'a/b:9-9',
      because: 'one variable twice',
    },
  ])('$because: $image', ({ template, version, image }) => {
    expect(resolveImageTemplate(template, version)).toEqual({ resolved: true, image });
  });

  const no = 'cannot construct catalog image reference, because';
  it.each([
    {
      because: 'the version is unknown',
      template: 'a/b:{kube_major_version}.{kube_minor_version}',
      version: undefined,
      text: 'a/b:missing.missing',
      message: `${no} variable(s) "{kube_major_version}", "{kube_minor_version}" could not be resolved`,
    },
    {
      because: 'the version is no semantic one',
      template: 'a/b:{kube_patch_version}',
      version: 'v1.34',
      text: 'a/b:missing',
      message: `${no} variable(s) "{kube_patch_version}" could not be resolved`,
    },
    {
      because: 'a variable that does not exist',
      template: 'a/b:{kube_version}',
      version: 'v1.34.4',
      text: 'a/b:{kube_version}',
      message: `${no} one or more template(s) has improper syntax`,
    },
    {
      because: 'both',
      template: 'a/b:{kube_minor_version}{x}',
      version: undefined,
      text: 'a/b:missing{x}',
      message: `${no} variable(s) "{kube_minor_version}" could not be resolved and one or more template(s) has improper syntax`,
    },
    {
      because: 'the result is no image reference',
      template: 'A B:{kube_minor_version}',
      version: 'v1.34.4',
      text: 'A B:34',
      message: `${no} one or more template(s) has improper syntax`,
    },
  ])('unresolved: $because', ({ template, version, text, message }) => {
    expect(resolveImageTemplate(template, version)).toEqual({ resolved: false, text, message });
  });
});
