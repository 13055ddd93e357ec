/** A page that breaks says so and leaves the others standing. */
import { Component, type ReactNode } from "react";
import { Button, Empty, styles } from "../parts/parts";

export class Failsafe extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <Empty title="This page has stopped working">
        <p>
          Nothing you typed is lost, and nothing in the journal has changed. It said: <code>{this.state.error.message}</code>
        </p>
        <div className={styles["actions"]}>
          <Button look="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        </div>
      </Empty>
    );
  }
}
