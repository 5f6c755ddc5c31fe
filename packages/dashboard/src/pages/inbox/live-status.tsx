import { useLiveState } from '../../live/live.ts';
import { useNow } from '../../ui/now.ts';

/** Whether the list is up to date. Does not say *live*, because that is a mode of projects. */
export function LiveStatus() {
  const state = useLiveState();
  switch (state.is) {
    case 'live':
      return <Status is="live">Connected</Status>;
    case 'waiting':
      return <Waiting retryAt={state.retryAt} />;
    case 'offline':
      return <Status is="away">Offline</Status>;
    case 'signed_out':
      return <Status is="away">Signed out</Status>;
    default:
      return <Status is="connecting">Connecting…</Status>;
  }
}

function Waiting({ retryAt }: { retryAt: number }) {
  useNow();
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  return <Status is="away">Connection lost. Reconnecting{seconds > 0 && ` in ${seconds} s`}…</Status>;
}

function Status({ is, children }: { is: string; children: React.ReactNode }) {
  return (
    <span className="inbox-live" data-is={is}>
      {children}
    </span>
  );
}
