#include "libs/base/write_batch.h"

#include <gtest/gtest.h>

#include <functional>

namespace tarot {
namespace {

// Counts its writes, and the owners that batches keep.
struct Writer final : BatchedWriter {
  void WriteWaiting() override {
    ++writes;
    if (then) then();
  }
  // Does what a stream does when a new message waits.
  void Send() {
    if (!WriteBatch::Join(*this, [this]() -> std::shared_ptr<void> { return owner; })) {
      WriteWaiting();
    }
  }

  int writes = 0;
  std::function<void()> then;
  std::shared_ptr<int> owner = std::make_shared<int>(0);
};

TEST(WriteBatchTest, WithoutABatchEachMessageIsWrittenAtOnce) {
  Writer writer;
  writer.Send();
  writer.Send();
  EXPECT_EQ(writer.writes, 2);
}

TEST(WriteBatchTest, EachWriterWritesOnceAtTheEndAndLivesUntilThen) {
  Writer first, second;
  {
    const WriteBatch batch;
    first.Send();
    second.Send();
    first.Send();
    EXPECT_EQ(first.writes + second.writes, 0);
    EXPECT_EQ(first.owner.use_count(), 2);
  }
  EXPECT_EQ(first.writes, 1);
  EXPECT_EQ(second.writes, 1);
  EXPECT_EQ(first.owner.use_count(), 1);
}

TEST(WriteBatchTest, AnInnerBatchLeavesTheWritesToTheOuterOne) {
  Writer writer;
  {
    const WriteBatch outer;
    {
      const WriteBatch inner;
      writer.Send();
    }
    EXPECT_EQ(writer.writes, 0);
    writer.Send();
  }
  EXPECT_EQ(writer.writes, 1);
}

TEST(WriteBatchTest, AMessageOfTheLastWriteIsWrittenAtOnce) {
  Writer first, second;
  first.then = [&] { second.Send(); };
  {
    const WriteBatch batch;
    first.Send();
  }
  EXPECT_EQ(second.writes, 1);
}

}  // namespace
}  // namespace tarot
