/** Kubernetes' short durations: 45s, 5m10s, 3h, 2d4h. */
export function age(since: unknown): string {
  const from = typeof since === 'string' ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(from)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((Date.now() - from) / 1000));
  const units = (big: number, bigName: string, small: number, smallName: string) =>
    `${big}${bigName}${small > 0 ? `${small}${smallName}` : ''}`;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return units(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  return days < 8 ? units(days, 'd', hours % 24, 'h') : `${days}d`;
}
