/** False for a text that the API server refuses for its format. */
type Format = (text: string) => boolean;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hour = '99', minute = '99', second = '99'] = TIME.exec(time) ?? [];
  return isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
}

const isIpv4: Format = (text) => /^\d+(?:\.\d+){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

/** Checks the shape alone: a text that passes may still be invalid, and only the API server finds that. */
const isIpv6: Format = (text) => text.includes(':') && /^[0-9A-Fa-f:.]+$/.test(text);

function isCidr(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  if (!/^\d+$/.test(bits)) return false;
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

const isUuid: Format = (text) => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);

/**
 * The formats of the API server's validator (kube-openapi strfmt) that can be decided here for certain; every
 * other format is ignored, as the server ignores formats it does not know.
 */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', isDate],
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['uuid', isUuid],
  ['uri', (text) => text.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)],
  ['byte', (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0],
  [
    'mac',
    (text) => /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5,19}$/i.test(text) || /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,9}$/i.test(text),
  ],
]);

/** True if a text has the format, and for formats that are not known here. */
export const hasFormat = (format: string, text: string): boolean => FORMATS.get(format)?.(text) ?? true;
