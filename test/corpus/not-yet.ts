/** Oddities that the corpus of `make test` and `make corpus` leaves out, each with why. */
export const NOT_YET: Readonly<Record<string, string>> = {
  ...because('YAML as go-yaml reads it', [
    'description that goes on in a line not indented deeper',
    'file with UTF-16 of big endian',
    'file with UTF-16 of little endian',
    'header of a block with a comment, an indentation or a chomping',
    'list in brackets that ends at the column of its key',
    'list in brackets that goes on in a line not indented deeper',
    'map in brackets that ends at the column of its key',
    'merge key with and without its tag',
    'merge key with its tag',
    'quoted text that goes on in a line not indented deeper',
  ]),
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
  ...because('the first of two packages of one name counts', ['package that is listed twice in a ConfigMap']),
};

function because(why: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]));
}
