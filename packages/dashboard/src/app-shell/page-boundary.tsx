import { Component, type ErrorInfo, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { FailedPage } from './failed-page.tsx';

/** When a page throws, shows an error page instead until the person navigates elsewhere. */
export function PageBoundary({ children }: { children: ReactNode }) {
  return <Boundary path={useLocation().pathname}>{children}</Boundary>;
}

interface Props {
  path: string;
  children: ReactNode;
}

interface State {
  /** The path at which it failed, or null. */
  failedAt: string | null;
}

class Boundary extends Component<Props, State> {
  override state: State = { failedAt: null };

  static getDerivedStateFromError(): State {
    return { failedAt: window.location.pathname };
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo): void {
    console.error(error, componentStack);
  }

  override componentDidUpdate({ path }: Props): void {
    if (this.state.failedAt !== null && path !== this.props.path) this.setState({ failedAt: null });
  }

  override render(): ReactNode {
    return this.state.failedAt === null ? this.props.children : <FailedPage />;
  }
}
