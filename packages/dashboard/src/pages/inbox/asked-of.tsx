import { InertText } from '../../inert-text/inert-text.tsx';
import { named } from './asked-of.words.ts';
import { sayFrom } from './say-from.ts';

/** The approvers that the request names. Others see the request and can deny it. */
export function AskedOf({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return named(<InertText text={names.map(sayFrom).join(', ')} />);
}
