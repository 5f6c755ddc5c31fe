import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/** Code or a command, to be copied. It scrolls sideways, or breaks its lines with `wrap`. */
export function CodeBlock({
  code,
  title,
  wrap = false,
  what = 'the code',
}: {
  code: string;
  title?: ReactNode;
  wrap?: boolean;
  what?: string;
}) {
  return (
    <div className={wrap ? 'code-block wrap' : 'code-block'}>
      <div className="code-head">
        <span>{title}</span>
        <CopyButton text={code} what={what} />
      </div>
      <pre tabIndex={wrap ? undefined : 0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
