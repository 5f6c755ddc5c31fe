import { useLiveState } from '../../live/live.ts';
import { useNow } from '../../ui/now.ts';
import * as words from './inbox.words.ts';

/** Whether the list is up to date. Does not say *live*, because that is a mode of projects. */
export function LiveStatus() {
  const state = useLiveState();
  switch (state.is) {
    case 'live':
      return <Status is="live">{words.connected}</Status>;
    case 'waiting':
      return <Waiting retryAt={state.retryAt} />;
    case 'offline':
      return <Status is="away">{words.disconnected}</Status>;
    case 'signed_out':
      return <Status is="away">{words.signedOut}</Status>;
    default:
      return <Status is="connecting">{words.connecting}</Status>;
  }
}

function Waiting({ retryAt }: { retryAt: number }) {
  useNow();
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  return <Status is="away">{words.reconnecting(seconds)}</Status>;
}

function Status({ is, children }: { is: string; children: React.ReactNode }) {
  return (
    <span className="inbox-live" data-is={is}>
      {children}
    </span>
  );
}
