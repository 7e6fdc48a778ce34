"""Learns three communities that only the directions of edges distinguish, with PyTorch."""

import torch
import torch.nn.functional as F

from dsnn.torch import DirectedSheafConv

# Random edges; those between communities point from 0 to 1, from 1 to 2 or from 2 to 0.
torch.manual_seed(0)
n = 300
y = torch.arange(n) % 3
edge_index = torch.randint(0, n, (2, 2100))
goes_back = (y[edge_index[0]] - y[edge_index[1]]) % 3 == 1
edge_index = torch.where(goes_back, edge_index.flip(0), edge_index)

# Half of the nodes have features that show their community. Train and test on the others.
order = torch.randperm(n)
known, train, test = order[:150], order[150:225], order[225:]
x = torch.zeros(n, 3)
x[known] = F.one_hot(y[known], 3).float()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = DirectedSheafConv(3, 8, stalk_dim=2)
        self.conv2 = DirectedSheafConv(8, 3, stalk_dim=2)

    def forward(self, x, edge_index):
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(60):
    optimizer.zero_grad()
    F.cross_entropy(model(x, edge_index)[train], y[train]).backward()
    optimizer.step()

accuracy = (model(x, edge_index).argmax(1) == y)[test].float().mean()
print(f"accuracy {accuracy:.2f}")
