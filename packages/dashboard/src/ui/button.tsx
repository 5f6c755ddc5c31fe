import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { Icon, type IconName } from './icon.tsx';
import { Spinner } from './waiting.tsx';

export type ButtonTone = 'primary' | 'secondary' | 'quiet' | 'approve' | 'deny' | 'danger';

interface ButtonLooks {
  tone?: ButtonTone;
  size?: 's' | 'm' | 'l';
  icon?: IconName;
  /** As wide as its container. */
  full?: boolean;
}

export interface ButtonProps extends ButtonLooks, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Waiting for an answer: the button stays focusable, and presses do nothing. */
  busy?: boolean;
  children: ReactNode;
}

/** A button. It submits nothing unless `type="submit"`. */
export function Button({
  tone = 'secondary',
  size = 'm',
  icon,
  full,
  busy = false,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  // Not `disabled` while busy, because that would drop the focus in the middle of a task.
  const press = busy ? (event: MouseEvent) => event.preventDefault() : onClick;
  return (
    <button
      type="button"
      {...rest}
      className={classes('button', full && 'full', className)}
      data-tone={tone}
      data-size={size}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={press}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with only an icon. `label` is the text for screen readers and the tooltip. */
export function IconButton({
  label,
  icon,
  tone = 'quiet',
  size = 'm',
  className,
  ...rest
}: Omit<ButtonProps, 'children' | 'full' | 'busy'> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classes('button icon-only', className)}
      data-tone={tone}
      data-size={size}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A link within the app that looks like a button. */
export function LinkButton({
  tone = 'secondary',
  size = 'm',
  icon,
  full,
  className,
  children,
  ...rest
}: ButtonLooks & LinkProps) {
  return (
    <Link
      {...rest}
      className={classes('button', full && 'full', className)}
      data-tone={tone}
      data-size={size}
    >
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

function classes(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
