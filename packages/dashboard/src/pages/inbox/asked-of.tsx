import { InertText } from '../../inert-text/inert-text.tsx';

/** The approvers that the request names. Others see the request and can deny it. */
export function AskedOf({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      Asked of <InertText text={names.join(', ')} />.
    </>
  );
}
