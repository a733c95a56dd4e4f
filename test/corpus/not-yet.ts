/** Oddities that the corpus of `make test` and `make corpus` leaves out, each with why. */
export const NOT_YET: Readonly<Record<string, string>> = {
  ...because('UTF-16 of little endian is read as UTF-8 in some files', ['file with UTF-16 of little endian']),
  ...because('validate and plan do not foresee what the phases of a CSV say', [
    'install mode that is there twice',
    'install of the CSV null',
    'install strategy of another name',
    'minKubeVersion that is no version',
    'rule without verbs',
    'rules of a permission null',
    'verbs of a rule null',
    'webhooks of one name',
  ]),
  ...because('objects that no API server takes are not told before the install', [
    'CRD of v1beta1',
    'data of a ConfigMap that is no text',
    'kind that is empty',
    'object without apiVersion',
    'served of a CRD that is a text',
  ]),
  ...because('lines of 200 characters lose the field at their end', [
    'annotation of a CRD that is no text',
    'CSV that is no YAML',
    'member of the CSV of another type',
  ]),
  ...because('the exit code blames the registry for the content of an image', [
    'absolute paths',
    'media type of another packaging',
    'no manifests at all',
  ]),
  ...because('plan asks for labels that an install does not need', ['no annotations file', 'no labels']),
  ...because('validate does not say what is wrong with metadata', [
    'channel that is a number',
    'dependency in the flat form',
    'dependency whose version is a number',
  ]),
};

function because(why: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]));
}
